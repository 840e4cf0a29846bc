// Applies the theme chosen on the chat page. Runs before the first paint.
'use strict';

const dark = matchMedia('(prefers-color-scheme: dark)');

/** Returns `dark`, `light`, or undefined for the system's theme. */
function chosenTheme() {
  try {
    const { theme } = JSON.parse(localStorage.getItem('parlour.preferences') ?? '{}');
    return theme === 'dark' || theme === 'light' ? theme : undefined;
  } catch {
    return undefined;
  }
}

function applyTheme() {
  const root = document.documentElement;
  const theme = chosenTheme();
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  // Swagger UI switches to dark by a class.
  root.classList.toggle('dark-mode', theme ? theme === 'dark' : dark.matches);
}

applyTheme();
dark.addEventListener('change', applyTheme);
addEventListener('storage', applyTheme);
