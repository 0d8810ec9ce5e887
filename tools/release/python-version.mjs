// Gives the Python client the version that the other packages have. `npm run bump` runs it after `changeset version`.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../prepare.mjs'

const FILE = path.join(root, 'clients/python/ganttclient/__init__.py')
const LINE = /^__version__ = ".*"$/m

const { version } = JSON.parse(readFileSync(path.join(root, 'packages/client/package.json'), 'utf8'))
const text = readFileSync(FILE, 'utf8')
if (!LINE.test(text)) throw new Error(`${FILE} has no line that begins with __version__ = ; it must have one`)
writeFileSync(FILE, text.replace(LINE, `__version__ = "${version}"`))
