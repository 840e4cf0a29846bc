// Shows the API document of this hub; nothing is loaded from another host.
'use strict';

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  presets: [SwaggerUIBundle.presets.apis],
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  filter: true,
  // Schemas start collapsed; readers look for operations first.
  defaultModelsExpandDepth: 0,
  // The default would send the document to an external service.
  validatorUrl: null,
  // The default theme has colours of too little contrast.
  syntaxHighlight: { theme: 'obsidian' },
});

/** Levels of headings below the title, by selector. */
const LEVELS = { 'h3.opblock-tag, section.models > h4': '2', '.opblock h4': '3', '.opblock h5': '4' };

/**
 * Corrects the markup of Swagger UI for screen readers and keyboards: no level of headings is skipped, everything is in a
 * landmark, and the button of an operation contains no link (the button changes the address too).
 */
function correctMarkup() {
  for (const [selector, level] of Object.entries(LEVELS)) {
    for (const heading of document.querySelectorAll(`:is(${selector}):not([aria-level])`)) {
      heading.setAttribute('role', 'heading');
      heading.setAttribute('aria-level', level);
    }
  }
  const about = document.querySelector('.information-container');
  about?.setAttribute('role', 'region');
  about?.setAttribute('aria-label', 'About the API');
  document.querySelector('.filter')?.setAttribute('role', 'search');
  for (const link of document.querySelectorAll('.opblock-summary-control a[href]')) link.removeAttribute('href');
}

new MutationObserver(correctMarkup).observe(document.getElementById('docs'), { childList: true, subtree: true });
