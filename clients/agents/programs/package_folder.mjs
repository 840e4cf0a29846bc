// Where the pinned programs are installed, and their versions.

import { readFileSync } from 'node:fs'
import path from 'node:path'

const modules = path.resolve(process.env.PARLOUR_AGENT_PROGRAMS ?? 'node_modules')

/** The path of a file of a package. */
export const fileOf = (name, ...parts) => path.join(modules, name, ...parts)

/** The installed version of a package, without a suffix for the platform. */
export function versionOf(name) {
  const { version } = JSON.parse(readFileSync(fileOf(name, 'package.json'), 'utf8'))
  return version.split('-')[0]
}
