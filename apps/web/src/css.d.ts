/** Style sheets are taken in for their effect; the bundler collects them into files. */
declare module "*.css";
