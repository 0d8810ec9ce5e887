/**
 * The command that starts this program again from the same folder: `npx gantt`, `gantt`, or a path such as `bin/gantt`. Printed commands
 * begin with it, because users copy them.
 */
export const GANTT = commandOf(process.argv[1] ?? '', process.cwd(), process.env)

/** `program` is the absolute path by which Node was started, which can be a link to the program. `folder` is the working folder. */
export function commandOf(program: string, folder: string, environment: NodeJS.ProcessEnv): string {
  if (isCalledByNpx(environment)) return 'npx gantt'
  if (!program.endsWith('/gantt') || isFound(program, folder, environment)) return 'gantt'
  const below = program.startsWith(`${folder}/`) ? program.slice(folder.length + 1) : program
  return quoted(below.includes('/') ? below : `./${below}`)
}

function isCalledByNpx({ npm_command, npm_lifecycle_script = '' }: NodeJS.ProcessEnv): boolean {
  return npm_command === 'exec' && /^['"]?gantt\b/.test(npm_lifecycle_script)
}

/** True if a shell finds the program by its name alone. */
function isFound(program: string, folder: string, { PATH = '' }: NodeJS.ProcessEnv): boolean {
  const folders = PATH.split(':').map((entry) => (entry.startsWith('/') ? entry : `${folder}/${entry}`))
  return folders.some((entry) => `${entry.replace(/\/+$/, '')}/gantt` === program)
}

function quoted(command: string): string {
  return /^[\w./~+-]+$/.test(command) ? command : `'${command.replaceAll("'", "'\\''")}'`
}
