/** Generates images, so that no binary file is checked in. */
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Returns a PNG of this size with a gradient; `shade` makes two of one size differ. */
export function pictureOf(width, height, shade = 90) {
  const row = (y) => [
    0,
    ...Array.from({ length: width }, (_, x) => [(x * 200) / width, shade, (y * 255) / height].map(Math.round)).flat(),
  ];
  const pixels = Buffer.from(Array.from({ length: height }, (_, y) => row(y)).flat());
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits a channel, red, green and blue.
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    part('IHDR', head),
    part('IDAT', deflateSync(pixels)),
    part('IEND', Buffer.alloc(0)),
  ]);
}

function part(name, data) {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
