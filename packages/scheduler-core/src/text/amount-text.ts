/** Writes a count with its noun: 1 host, 2 hosts. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string => `${count} ${count === 1 ? noun : plural}`

/**
 * Names the instances for which no host was found: "one instance", or "2 more instances" if a host was found for other instances of the
 * request (`areMore`).
 */
export const instancesLeft = (count: number, areMore: boolean): string =>
  count === 1 ? `one ${areMore ? 'more ' : ''}instance` : counted(count, areMore ? 'more instance' : 'instance')

/**
 * The units in which amounts of these resource classes are shown. Amounts of other classes have no unit, because the subject names the
 * class.
 */
const classUnits: Readonly<Record<string, string>> = { MEMORY_MB: 'MiB', DISK_GB: 'GiB', VCPU: 'vCPUs', PCPU: 'dedicated CPUs' }

const isResourceClass = (unit: string): boolean => /^[A-Z][A-Z0-9_]+$/.test(unit)

/** Matches a unit that is a countable noun, in singular or plural. Groups: the words before the noun, the singular, the words after it. */
const NOUN =
  /^((?:dedicated |shared |guest |NUMA )*)(vCPU|CPU|GPU|cell|claim|device|host|instance|member|operation|page|step|thread)s?(?= |$)(.*)$/

/**
 * Writes an amount with its unit, for sentences: 1 vCPU, 2 vCPUs, 8192 MiB, no members, fewer than 2 members. If the unit is absent or a
 * resource class without a display name, only the amount is written.
 */
export function amountText(amount: number | string, unit?: string): string {
  const text = valueText(amount)
  const { one, several } = measureOf(unit)
  if (several === '') return text
  if (text === 'fewer than 1') return `no ${several}`
  return `${text} ${/(?:^|\D)1$/.test(text) ? one : several}`
}

/** The singular and plural of a unit. For example, VCPU and vCPUs give the same result. */
export function measureOf(unit = ''): { readonly one: string; readonly several: string } {
  const measure = isResourceClass(unit) ? (classUnits[unit] ?? '') : unit
  const noun = NOUN.exec(measure)
  if (noun === null) return { one: measure, several: measure }
  const [, before = '', one = '', behind = ''] = noun
  return { one: before + one + behind, several: `${before}${one}s${behind}` }
}

/** Writes a value for a sentence. An empty or blank value is put in quotes. */
export const valueText = (value: number | string): string => {
  const text = String(value)
  return text.trim() === '' ? JSON.stringify(text) : text
}

/**
 * Display names of subjects whose unit does not show the resource: 5 MiB can be memory or disk. Nova's filters use the names in lower case.
 */
const classWords: Readonly<Record<string, string>> = { MEMORY_MB: 'Memory', memory: 'Memory', DISK_GB: 'Disk', disk: 'Disk' }

/** Resource classes that are already named by their unit, such as "2 vCPUs". */
const NAMED_BY_UNIT: readonly string[] = ['VCPU', 'PCPU']

/** The text before an amount, such as "Memory: ". Empty if the unit already names the resource. */
export function subjectText(subject: string, unit?: string): string {
  const { one, several } = measureOf(unit)
  if ([one, several].some((measure) => measure.toLowerCase() === subject.toLowerCase())) return ''
  if (NAMED_BY_UNIT.includes(subject) && one === measureOf(subject).one) return ''
  return `${Object.hasOwn(classWords, subject) ? classWords[subject] : subject}: `
}

/**
 * The text after a free amount: "; over-full by 2 vCPUs" if the amount is negative, otherwise empty. The sentence itself shows a negative
 * amount as 0.
 */
export const overfullText = (left: number | string | undefined, unit?: string): string =>
  typeof left === 'number' && left < 0 ? `; over-full by ${amountText(-left, unit)}` : ''
