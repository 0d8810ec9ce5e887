import { fileURLToPath } from 'node:url'

/** The command, for processes of it that we start; it builds first what is older than its sources. A bundle starts itself: nothing is built while it runs. */
export const PROGRAM = fileURLToPath(new URL(import.meta.url.includes('/dist/') ? 'main.js' : '../bin/gantt.mjs', import.meta.url))
