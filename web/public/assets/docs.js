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
});
