// Unit tests: pure logic in Node, components in happy-dom. Safety, layout and scrolling are tested in a real browser (`e2e/`).
import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [solid()],
  test: {
    environment: 'happy-dom',
    // Machines are slow when they are busy; a test that hangs is stopped all the same.
    testTimeout: 60_000,
    include: ['src/**/*.test.{ts,tsx}', 'diagram/**/*.test.ts'],
    server: { deps: { inline: [/solid-js/, /@solidjs/, /virtua/] } },
  },
});
