/** The current theme, for code that cannot use CSS. */
import type { Theme } from './diagram_protocol';

const dark = '(prefers-color-scheme: dark)';

export function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  if (theme === 'dark' || theme === 'light') return theme;
  return window.matchMedia(dark).matches ? 'dark' : 'light';
}

/** Calls back when the theme changes, until the returned function is called. */
export function onThemeChange(listener: (theme: Theme) => void): () => void {
  let last = currentTheme();
  const check = () => {
    if (currentTheme() === last) return;
    last = currentTheme();
    listener(last);
  };
  const system = window.matchMedia(dark);
  system.addEventListener('change', check);
  const observer = new MutationObserver(check);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', check);
    observer.disconnect();
  };
}
