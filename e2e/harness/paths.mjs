/** Paths relative to this folder: the scripts may be started from anywhere. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const E2E = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const ROOT = path.dirname(E2E);
const TARGET = path.resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target');

/** The hub binary. */
export const PROGRAM = path.resolve(process.env.PARLOUR_PROGRAM ?? path.join(TARGET, 'debug/parlour'));
/** Output folder for screenshots and failure evidence. */
export const OUT = path.resolve(process.env.PARLOUR_E2E_OUT ?? path.join(TARGET, 'e2e'));
/** A folder with a built page that replaces the embedded one, or undefined. */
export const PAGE = process.env.PARLOUR_PAGE ? path.resolve(process.env.PARLOUR_PAGE) : undefined;

/** Makes a file name from a title: `7. I scroll up` becomes `7-i-scroll-up`. */
export function fileName(title) {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, FILE_NAME_LEN_MAX);
}

const FILE_NAME_LEN_MAX = 60;
