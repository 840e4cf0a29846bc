/** Line icons, 24 × 24, in the current colour. Hidden from screen readers: label the button. */
const PATHS = {
  archive: 'M4 5h16v4H4zM6 9v10h12V9M10 13h4',
  at: 'M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zm0 0v1.5a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-3.5 7.1',
  attach: 'M20 11.5 12.4 19a5 5 0 0 1-7.1-7.1l7.9-7.9a3.3 3.3 0 0 1 4.7 4.7l-7.9 7.9a1.7 1.7 0 0 1-2.4-2.4l7.2-7.1',
  back: 'M15 5l-7 7 7 7',
  bell: 'M6 16V11a6 6 0 1 1 12 0v5l1.5 2h-15zM10 20.5h4',
  chat: 'M4 5h16v11H9l-5 4z',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  chevron: 'M6 9l6 6 6-6',
  clock: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 7.5V12l3 2',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h10v10H9zM15 9V5H5v10h4',
  down: 'M12 5v14M6 13l6 6 6-6',
  exit: 'M10 5H5v14h5M9.5 12H20M16 8l4 4-4 4',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  emoji: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM8.5 14a4 4 0 0 0 7 0M9 9.5h.01M15 9.5h.01',
  file: 'M6 3.5h8l4 4v13H6zM14 3.5v4h4',
  grid: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
  hash: 'M9.5 4L7.5 20M16.5 4l-2 16M4.5 9h16M3.5 15h16',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9h.01',
  inbox: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1.5 2.5h3L15 13h5',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M7 14h10',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4.2 4.2 0 0 0-6-6l-1.5 1.5M14 10a4 4 0 0 0-6-.4l-3 3a4.2 4.2 0 0 0 6 6l1.5-1.5',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  menu: 'M4 7h16M4 12h16M4 17h16',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z',
  more: 'M4.7 12a.8.8 0 1 0 1.6 0 .8.8 0 0 0-1.6 0zM11.2 12a.8.8 0 1 0 1.6 0 .8.8 0 0 0-1.6 0zM17.7 12a.8.8 0 1 0 1.6 0 .8.8 0 0 0-1.6 0z',
  pane: 'M4 5h16v14H4zM14.5 5v14',
  people:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-3.5 2.5-6 6-6s6 2.5 6 6M15.5 5a3.2 3.2 0 0 1 0 6.2M17.5 14.5c2.2.8 3.5 2.8 3.5 5.5',
  play: 'M7 5l12 7-12 7z',
  plus: 'M12 5v14M5 12h14',
  question:
    'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM9.7 9.5a2.4 2.4 0 1 1 3.4 2.2c-.8.4-1.1.9-1.1 1.8M12 16.5h.01',
  quote: 'M9 7c-3 .8-4.5 3-4.5 6v4H10v-5H7M19 7c-3 .8-4.5 3-4.5 6v4H20v-5h-3',
  reply: 'M10 6L4 12l6 6M4 12h9c4 0 7 2 7 6',
  screen: 'M3.5 5h17v11h-17zM9 20h6M12 16v4',
  search: 'M10.5 4.5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15 15l5 5',
  send: 'M4 11.5L20.5 4 14 20.5l-3-7z',
  settings:
    'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 2.8v3M12 18.2v3M2.8 12h3M18.2 12h3M5.5 5.5l2.1 2.1M16.4 16.4l2.1 2.1M18.5 5.5l-2.1 2.1M7.6 16.4l-2.1 2.1',
  spark: 'M12 3.5l1.8 5.2 5.2 1.8-5.2 1.8L12 17.5l-1.8-5.2L5 10.5l5.2-1.8z',
  stop: 'M7 7h10v10H7z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.8v2M12 19.2v2M2.8 12h2M19.2 12h2M5.5 5.5l1.4 1.4M17.1 17.1l1.4 1.4M18.5 5.5l-1.4 1.4M6.9 17.1l-1.4 1.4',
  thread: 'M4 5h16v11H9l-5 4zM8 9h8M8 12h5',
  trash: 'M5 7h14M9.5 7V4.5h5V7M7 7l1 13h8l1-13',
  undo: 'M8 6L4 10l4 4M4 10h10a5.5 5.5 0 0 1 0 11h-3',
  warning: 'M12 4l9 16H3zM12 10v4.5M12 17.5h.01',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon(props: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      width={props.size ?? 18}
      height={props.size ?? 18}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[props.name]} />
    </svg>
  );
}
