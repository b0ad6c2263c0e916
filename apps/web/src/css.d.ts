/** Style sheets are imported for their side effect; the bundler collects them into files. */
declare module "*.css";
