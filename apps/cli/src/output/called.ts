/** The command by which this program was started, so that users can copy printed commands: `npx gantt` in a checkout. */
export const GANTT = isCalledByNpx(process.env) ? 'npx gantt' : 'gantt'

function isCalledByNpx({ npm_command, npm_lifecycle_script = '' }: NodeJS.ProcessEnv): boolean {
  return npm_command === 'exec' && /^['"]?gantt\b/.test(npm_lifecycle_script)
}
