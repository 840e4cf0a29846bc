// Swagger UI has a dark look, but only behind a class. Runs before the first paint.
'use strict';

const dark = matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
followSystem();
dark.addEventListener('change', followSystem);
