// The build of the chat page, used by `build.mjs` and `npm run dev`.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import solid from 'vite-plugin-solid';

/** The hub that `npm run dev` connects to. */
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
  // Solid's templates pass a Trusted Types policy: see src/platform/solid_web.ts.
  plugins: [solid({ solid: { moduleName: 'parlour-web' } })],
  resolve: { alias: { 'parlour-web': fileURLToPath(new URL('./src/platform/solid_web.ts', import.meta.url)) } },
  publicDir: false,
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    // The policy of the page forbids inline code.
    modulePreload: {
      polyfill: false,
      // Lazy chunks import their dependencies themselves: a list of them would enlarge the first file.
      resolveDependencies: (_, files, { hostType }) => (hostType === 'html' ? files : []),
    },
    rolldownOptions: {
      output: {
        hashCharacters: 'hex',
        entryFileNames: 'assets/[name].[hash:16].js',
        chunkFileNames: 'assets/[name].[hash:16].js',
        assetFileNames: 'assets/[name].[hash:16][extname]',
        // Code that the page and its lazy parts share is one file.
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /node_modules\/(solid-js|virtua)|src\/(platform|parts\/(Icon|dialog\/modal)|text\/names|state\/store_context)/,
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
