/** The page's icons: 24-unit strokes drawn for it, decorative unless a label is given. */
import type { ReactElement } from "react";

const paths = {
  inbox: "M4 13h4.5a3.5 3.5 0 0 0 7 0H20M4 13l2.6-7.2A2 2 0 0 1 8.5 4.500h7a2 2 0 0 1 1.9 1.300L20 13v4.500a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2z",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  commit: "M12 15.500a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3.500 12h5M15.500 12h5",
  worktree: "M5 4.500v15M5 8h7.500M5 16h7.500M12.500 5.500h6v5h-6zM12.500 13.500h6v5h-6z",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4",
  terminal: "M4 5.500h16v13H4zM7.5 9.500l3 2.5-3 2.500M12.5 15h4",
  edit: "M13.5 6.500l4 4M5 19l1-4.500L15.5 5a1.4 1.4 0 0 1 2 0l1.5 1.500a1.4 1.4 0 0 1 0 2L9.5 18z",
  globe: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM4 12h16M12 4c2.2 2.4 3.3 5 3.3 8s-1.1 5.6-3.3 8c-2.2-2.4-3.3-5-3.3-8S9.8 6.4 12 4z",
  shield: "M12 4l7 2.500v5c0 4-2.8 7-7 8.5-4.2-1.5-7-4.5-7-8.500v-5z",
  question: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM9.7 9.700a2.4 2.4 0 1 1 3.5 2.100c-.8.4-1.2.9-1.2 1.700M12 16.300v.1",
  tool: "M14.5 5.200a4.2 4.2 0 0 0-5 5.600L4.8 15.500a1.9 1.9 0 0 0 0 2.700l1 1a1.9 1.9 0 0 0 2.7 0l4.7-4.700a4.2 4.2 0 0 0 5.6-5l-2.6 2.6-2.9-.9-.9-2.900z",
  plug: "M9 4v5M15 4v5M6.500 9h11v2.500a5.5 5.5 0 0 1-11 0zM12 17v3.5",
  form: "M6 4.500h12v15H6zM9 9h6M9 12.500h6M9 16h3",
  dot: "M12 14.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  check: "M5 12.500l4.5 4.500L19 7.5",
  close: "M6 6l12 12M18 6L6 18",
  chevronDown: "M6.5 9.500L12 15l5.5-5.5",
  chevronLeft: "M14.5 6.500L9 12l5.5 5.5",
  chevronRight: "M9.5 6.500L15 12l-5.5 5.5",
  chevronUp: "M6.5 14.500L12 9l5.5 5.5",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M8 8h8v8H8z",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  menu: "M4 7h16M4 12h16M4 17h16",
  diff: "M8 5v6M5 8h6M5 16h6M14.5 4.500h5v15h-5",
  plan: "M10 7h9M10 12h9M10 17h9M4.5 7l1 1 1.7-2M4.5 12l1 1 1.7-2M4.5 17l1 1 1.7-2",
  gear: "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM12 4v2.200M12 17.800V20M4 12h2.200M17.8 12H20M6.3 6.300l1.6 1.600M16.1 16.100l1.6 1.600M17.7 6.300l-1.6 1.600M7.9 16.100l-1.6 1.6",
  archive: "M4.5 5h15v4h-15zM6 9v10h12V9M10 13h4",
  trash: "M5 7h14M10 7V4.500h4V7M7 7l1 12.500h8L17 7M10.5 10.500v6M13.5 10.500v6",
  fork: "M7 7.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 7.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12 20.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 7.500v1.500a3 3 0 0 0 3 3h4a3 3 0 0 0 3-3V7.500M12 12v4.5",
  retry: "M19 12a7 7 0 1 1-2.2-5.100M19 4.500V8.500H15",
  expand: "M13.5 5H19v5.500M19 5l-6 6M10.5 19H5v-5.500M5 19l6-6",
  undo: "M8.5 5L4.5 9l4 4M5 9h9a5 5 0 0 1 0 10h-3",
  compress: "M12 4v5M9.5 6.500L12 9l2.5-2.500M12 20v-5M9.5 17.500L12 15l2.5 2.500M5 12h14",
  review: "M4 5h16v11H10l-4 3.500V16H4zM9 10.500l2 2 4-4",
  image: "M4.5 5h15v14h-15zM4.5 15.500l4.5-4 4 3.5 2.5-2 4 3.500M15.5 9.500h.01",
  paperclip: "M18.5 11.500l-6.7 6.700a4 4 0 0 1-5.6-5.700l7-7a2.7 2.7 0 0 1 3.8 3.800l-7 7a1.3 1.3 0 0 1-1.9-1.900l6.3-6.3",
  file: "M7 4h7l4 4v12H7zM14 4v4h4",
  folder: "M4 6.500h5.500l2 2H20v10H4z",
  branch:
    "M7.5 7.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7.5 20.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM16.5 9.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7.5 7.500v9M16.5 9.500c0 4-9 2.5-9 7",
  brain:
    "M12 5.500a3 3 0 0 0-5.5 1.700A3 3 0 0 0 5 12.500a3 3 0 0 0 2.5 4.700A3 3 0 0 0 12 18.500zM12 5.500a3 3 0 0 1 5.5 1.7 3 3 0 0 1 1.5 5.3 3 3 0 0 1-2.5 4.700A3 3 0 0 1 12 18.500zM12 5.500v13",
  copy: "M9 9h10.500v10.500H9zM15 9V4.500H4.500V15H9",
  download: "M12 4.500v10M8 11l4 4 4-4M5 19.500h14",
  bell: "M6.5 16.500V11a5.5 5.5 0 0 1 11 0v5.500l1.5 1.500H5zM10.5 20.500h3",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3.500v1.500M12 19v1.500M3.5 12H5M19 12h1.500M6 6l1 1M17 17l1 1M18 6l-1 1M7 17l-1 1",
  moon: "M19 14.500A7.5 7.5 0 0 1 9.5 5a7.5 7.5 0 1 0 9.5 9.500z",
  warning: "M12 4.500l8.5 15h-17zM12 10v4.500M12 17v.1",
  info: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 11.500v4.500M12 8v.1",
  clock: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 7.500V12l3 2",
  device: "M8 3.500h8a1 1 0 0 1 1 1v15a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1v-15a1 1 0 0 1 1-1zM11 17.500h2",
  list: "M8 6.500h12M8 12h12M8 17.500h12M4 6.500h.01M4 12h.01M4 17.500h.01",
  bolt: "M13 3.500L5.5 13.500H11l-1 7 8-10.500h-5.500z",
  comment: "M4.5 5h15v11h-9L6.5 19.500V16h-2z",
  columns: "M4.5 5h15v14h-15zM12 5v14",
  rows: "M4.5 5h15v14h-15zM4.5 12h15",
  external: "M13.5 5H19v5.500M19 5l-8 8M16 13.500V19H5V8h5.5",
  eye: "M3.5 12S6.5 6.5 12 6.5 20.5 12 20.5 12 17.5 17.5 12 17.5 3.5 12 3.5 12zM12 14.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  users: "M9 11.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3.5 19a5.5 5.5 0 0 1 11 0M16 6a3 3 0 0 1 0 5.500M17.5 14.500a5 5 0 0 1 3 4.5",
  down: "M12 5v14M6 13l6 6 6-6",
  spark: "M12 4l1.8 5.200L19 11l-5.2 1.800L12 18l-1.8-5.200L5 11l5.2-1.800z",
  pin: "M9 4.500h6l-.7 5.500 2.700 3.500H7l2.7-3.500zM12 13.500v6",
  target: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 12h.01",
  chart: "M4.5 19.500h15M7 16v-4.500M12 16V6.500M17 16v-7",
  pause: "M9 6.500v11M15 6.500v11",
  play: "M8.5 6l9 6-9 6z",
  link: "M10 13.500a3.5 3.5 0 0 0 5 0l3-3a3.5 3.5 0 0 0-5-5l-1 1M14 10.500a3.5 3.5 0 0 0-5 0l-3 3a3.5 3.5 0 0 0 5 5l1-1",
  keyboard: "M3.5 7h17v10.500h-17zM7 10.500h.01M10.5 10.500h.01M14 10.500h.01M17 10.500h.01M8 14.200h8",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16, label }: { name: IconName; size?: number; label?: string }): ReactElement {
  const shared = {
    width: size,
    height: size,
    viewBox: "0 0 24 24",
    className: "icon",
    fill: "none",
    stroke: "currentColor",
    strokeWidth: name === "more" ? 2.8 : 1.7,
    strokeLinecap: "round",
    strokeLinejoin: "round",
  } as const;
  if (label === undefined)
    return (
      <svg {...shared} aria-hidden="true">
        <path d={paths[name]} />
      </svg>
    );
  return (
    <svg {...shared} role="img" aria-label={label}>
      <title>{label}</title>
      <path d={paths[name]} />
    </svg>
  );
}

export function Logo({ size = 26 }: { size?: number }): ReactElement {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="logo">
      <rect width="32" height="32" rx="9" className="logo-ground" />
      <path
        d="M8 10.500A2.5 2.5 0 0 1 10.5 8h7a2.5 2.5 0 0 1 2.5 2.500v4a2.5 2.5 0 0 1-2.5 2.500H13l-3.2 2.600c-.4.3-.9 0-.9-.4V17A2.5 2.5 0 0 1 8 14.500z"
        fill="#fff"
      />
      <path
        d="M22.2 13.400a2.5 2.5 0 0 1 1.8 2.400v3.800a2.5 2.5 0 0 1-.9 1.900v2.200c0 .4-.5.7-.9.400L19.4 22H15.500a2.5 2.5 0 0 1-2.3-1.5"
        fill="none"
        stroke="#fff"
        strokeOpacity=".65"
        strokeWidth="1.9"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
