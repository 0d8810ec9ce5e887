/** The command by which users start this program: `npx gantt` in a checkout. Printed commands begin with it, because users copy them. */
export const GANTT = isCalledByNpx(process.env) ? 'npx gantt' : 'gantt'

function isCalledByNpx({ npm_command, npm_lifecycle_script = '' }: NodeJS.ProcessEnv): boolean {
  return npm_command === 'exec' && /^['"]?gantt\b/.test(npm_lifecycle_script)
}
