/** All style sheets of the page, in the order in which they build on each other. */
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/lists.css";
import "./styles/transcript.css";
import "./styles/requests.css";
import "./styles/diff.css";
import "./styles/git.css";
import "./styles/composer.css";
import "./styles/pages.css";
import "./styles/fleet.css";
import "./styles/touch.css";
