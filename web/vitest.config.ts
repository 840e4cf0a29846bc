// Unit tests: logic in Node, components in happy-dom. Security, layout and scrolling are tested in a browser (`e2e/`).
import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [solid()],
  test: {
    environment: 'happy-dom',
    // Generous for busy machines.
    testTimeout: 60_000,
    include: ['src/**/*.test.{ts,tsx}', 'diagram/**/*.test.ts'],
    server: { deps: { inline: [/solid-js/, /@solidjs/, /virtua/] } },
  },
});
