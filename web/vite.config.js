// How the chat page becomes files. `build.mjs` calls this; `npm run dev` serves it beside a running hub.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import solid from 'vite-plugin-solid';

/** Where the hub runs that `npm run dev` talks to. */
const HUB = process.env.PARLOUR_URL ?? 'http://127.0.0.1:4870';
const API = [
  'agents',
  'artifacts',
  'channels',
  'conversations',
  'deliveries',
  'dms',
  'engines',
  'events',
  'health',
  'inbox',
  'limits',
  'me',
  'messages',
  'people',
  'presence',
  'projects',
  'questions',
  'runs',
  'search',
  'sign-in',
  'sign-out',
  'threads',
  'tokens',
  'typing',
  'invites',
  'tasks',
  'docs',
];

export default defineConfig({
  // Solid's templates go through our own door: see src/platform/solid_web.ts.
  plugins: [solid({ solid: { moduleName: 'parlour-web' } })],
  resolve: { alias: { 'parlour-web': fileURLToPath(new URL('./src/platform/solid_web.ts', import.meta.url)) } },
  publicDir: false,
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    // The policy of the page has no place for inline code.
    modulePreload: {
      polyfill: false,
      // Late parts find what they import themselves: their list would be in the first file, name by name.
      resolveDependencies: (_, files, { hostType }) => (hostType === 'html' ? files : []),
    },
    rolldownOptions: {
      output: {
        hashCharacters: 'hex',
        entryFileNames: 'assets/[name].[hash:16].js',
        chunkFileNames: 'assets/[name].[hash:16].js',
        assetFileNames: 'assets/[name].[hash:16][extname]',
        // What the page and its late parts share is one file, not one for each part.
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /node_modules\/(solid-js|virtua)|src\/(platform|parts\/(Icon|modal)|state\/store_context)/,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      ...Object.fromEntries(API.map((part) => [`/${part}`, { target: HUB, changeOrigin: true }])),
      '/live': { target: HUB.replace(/^http/, 'ws'), ws: true, changeOrigin: true },
    },
  },
});
