/** What people type to call us: in a checkout it is `npx gantt`, and commands that we print are for copying. */
export const GANTT = isCalledByNpx(process.env) ? 'npx gantt' : 'gantt'

function isCalledByNpx({ npm_command, npm_lifecycle_script = '' }: NodeJS.ProcessEnv): boolean {
  return npm_command === 'exec' && /^['"]?gantt\b/.test(npm_lifecycle_script)
}
