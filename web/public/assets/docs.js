// Shows this hub's own contract; nothing is read from anywhere else.
'use strict';

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  presets: [SwaggerUIBundle.presets.apis],
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  filter: true,
  // Operations are what people look for; schemas open when asked.
  defaultModelsExpandDepth: 0,
  // The default would send the document to a service elsewhere.
  validatorUrl: null,
});
