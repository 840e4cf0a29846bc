// Builds all files that the server embeds: `npm run build -- OUT_DIR`.
//
// OUT_DIR/*.html     pages; they refer to their assets by fingerprinted names. index.html is the chat page.
// OUT_DIR/assets/*   scripts, styles and images of the pages, and the licences of third-party files
// OUT_DIR/d/*        the frame that draws diagrams
// OUT_DIR/**/*.br    a Brotli-compressed copy of every text file. Node compresses them in 3 s; an unoptimised Rust build
//                    script needs 22 s.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build } from 'vite';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const PUBLIC = path.join(HERE, 'public');
const SWAGGER = path.join(HERE, 'node_modules/swagger-ui-dist');
const TEXT = /\.(html|css|js|svg|txt|json)$/;
// The server treats a name with sixteen hexadecimal digits before its extension as immutable.
const FINGERPRINT_LEN = 16;

const outDir = process.argv[2];
if (!outDir) throw new Error('usage: npm run build -- OUT_DIR');
const written = new Set();

await writeLicences();
const names = await writeAssets();
await writePages(names);
await writeBundle({ configFile: path.join(HERE, 'vite.config.js') }, '', names);
await writeBundle({ configFile: path.join(HERE, 'diagram/vite.config.js') }, 'd/', names);
await removeLeftovers();

/**
 * Writes the output of one Vite build below a folder. Vite fingerprints its own files; the icon is fingerprinted here.
 */
async function writeBundle(config, folder, names) {
  const { output } = await build({ ...config, logLevel: 'warn', build: { write: false } });
  const isPage = ({ fileName }) => fileName.endsWith('.html');
  for (const { fileName, code, source } of output.filter((file) => !isPage(file))) {
    await write(folder + fileName, Buffer.from(code ?? source));
  }
  for (const { fileName, source } of output.filter(isPage)) {
    await write(folder + fileName, Buffer.from(nameByFingerprint(fileName, source, names)));
  }
}

/** Writes the static assets and returns a map from name to fingerprinted name. */
async function writeAssets() {
  const names = new Map();
  for (const [name, bytes] of await readAssets()) {
    const fingerprinted = fingerprint(name, bytes);
    names.set(name, fingerprinted);
    await write(`assets/${fingerprinted}`, bytes);
  }
  return names;
}

async function readAssets() {
  const folder = path.join(PUBLIC, 'assets');
  const assets = [];
  for (const name of (await readdir(folder)).sort()) assets.push([name, await readFile(path.join(folder, name))]);
  assets.push(['tokens.css', await readFile(path.join(HERE, 'src/style/tokens.css'))]);
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) assets.push([name, await readSwagger(name)]);
  return assets;
}

/** Reads a file of Swagger UI and removes its reference to a source map, which is not shipped. */
async function readSwagger(name) {
  const text = await readFile(path.join(SWAGGER, name), 'utf8');
  return Buffer.from(text.replace(/\n?\/[*/]# sourceMappingURL=\S+?(\*\/)?\s*$/, '\n'));
}

/** Licence files keep their names: the header of the bundle refers to one of them. */
async function writeLicences() {
  const notice = await readFile(path.join(SWAGGER, 'NOTICE'), 'utf8');
  const licence = await readFile(path.join(SWAGGER, 'LICENSE'), 'utf8');
  await write('assets/swagger-ui.LICENSE.txt', Buffer.from(`${notice}\n${licence}`));
  const bundled = 'swagger-ui-bundle.js.LICENSE.txt';
  await write(`assets/${bundled}`, await readFile(path.join(SWAGGER, bundled)));
}

async function writePages(names) {
  for (const page of (await readdir(PUBLIC)).filter((name) => name.endsWith('.html')).sort()) {
    const text = await readFile(path.join(PUBLIC, page), 'utf8');
    await write(page, Buffer.from(nameByFingerprint(page, text, names)));
  }
}

/** Replaces asset names in a page by fingerprinted names; an unknown name stops the build. */
function nameByFingerprint(page, text, names) {
  return text.replace(/"\/assets\/([^"]+)"/g, (quoted, name) => {
    if (names.has(name)) return `"/assets/${names.get(name)}"`;
    if (written.has(`assets/${name}`)) return quoted;
    throw new Error(`${page} refers to /assets/${name}, which does not exist`);
  });
}

function fingerprint(name, bytes) {
  const { name: stem, ext } = path.parse(name);
  const hash = createHash('sha256').update(bytes).digest('hex');
  return `${stem}.${hash.slice(0, FINGERPRINT_LEN)}${ext}`;
}

async function write(name, bytes) {
  await mkdir(path.dirname(path.join(outDir, name)), { recursive: true });
  await writeFile(path.join(outDir, name), bytes);
  written.add(name);
  if (TEXT.test(name)) await writePacked(name, bytes);
}

/** Compresses once per fingerprint: the same name means the same bytes. */
async function writePacked(name, bytes) {
  const packedPath = path.join(outDir, `${name}.br`);
  written.add(`${name}.br`);
  if (isFingerprinted(name) && existsSync(packedPath)) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  // An interrupted build must not leave half a file under a name that later builds trust.
  await writeFile(`${packedPath}.part`, await promisify(brotliCompress)(bytes, { params }));
  await rename(`${packedPath}.part`, packedPath);
}

function isFingerprinted(name) {
  return new RegExp(`\\.[0-9a-f]{${FINGERPRINT_LEN}}\\.[a-z]+$`).test(name);
}

/** Removes files of an earlier build from the output folder. */
async function removeLeftovers() {
  for (const entry of await readdir(outDir, { recursive: true, withFileTypes: true })) {
    const full = path.join(entry.parentPath ?? entry.path, entry.name);
    const name = path.relative(outDir, full).split(path.sep).join('/');
    if (entry.isFile() && !written.has(name)) await rm(full);
  }
}
