// Runs a list of checks, and counts them.

/**
 * Runs the checks one after the other. A check is `{ name, needs, after, run }`: it is skipped if one of the Debian packages that it needs
 * is missing, or if the check that makes its input was not passed. `run` throws an error with what is wrong. With `mustRunAll`, each
 * skipped check is a failure.
 *
 * `why` is why the missing packages could not be installed. Progress goes to `print`.
 */
export function runChecks(checks, { missing, why, mustRunAll, print }) {
  const passed = new Set()
  const failed = []
  const skipped = []
  const skip = (name, reason) => {
    print(`skipped  ${name}: ${reason}\n`)
    if (mustRunAll) failed.push({ name, reason })
    else skipped.push({ name, reason })
  }
  for (const { name, needs = [], after, run } of checks) {
    const absent = needs.filter((one) => missing.includes(one))
    if (absent.length > 0) skip(name, `needs ${absent.join(', ')} of Debian; ${why}`)
    else if (after !== undefined && !passed.has(after)) skip(name, `needs what the check "${after}" makes, which was not passed`)
    else {
      const startedAt = performance.now()
      const fault = faultOf(run)
      const took = `${Math.round(performance.now() - startedAt)} ms`
      print(`${fault === undefined ? 'passed ' : `${fault}\nFAILED `}  ${name}  ${took}\n`)
      if (fault === undefined) passed.add(name)
      else failed.push({ name, reason: 'see above' })
    }
  }
  return { passed: passed.size, failed, skipped }
}

function faultOf(run) {
  try {
    run()
    return undefined
  } catch (error) {
    return error instanceof CheckError ? error.message : error.stack
  }
}

/** What a check found, for those who read its output. Other errors are shown with the place in the code. */
export class CheckError extends Error {}

/** Throws what was found, if anything was. */
export function expectNone(faults) {
  if (faults.length > 0) throw new CheckError(faults.join('\n'))
}
