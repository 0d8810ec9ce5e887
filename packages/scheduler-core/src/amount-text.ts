/** How many there are, for people: 1 host, 2 hosts. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string => `${count} ${count === 1 ? noun : plural}`

/** Instances that have no place; `areMore`: others have one. */
export const instancesLeft = (count: number, areMore: boolean): string =>
  count === 1 ? `one ${areMore ? 'more ' : ''}instance` : counted(count, areMore ? 'more instance' : 'instance')

/** Resource classes that have a unit of measure, or another name for people. Of others the class is the unit, and the subject says it. */
const classUnits: Readonly<Record<string, string>> = { MEMORY_MB: 'MiB', DISK_GB: 'GiB', VCPU: 'vCPUs', PCPU: 'dedicated CPUs' }

const isResourceClass = (unit: string): boolean => /^[A-Z][A-Z0-9_]+$/.test(unit)

/** Things that are counted, in either form, with the word before them and those behind. */
const NOUN =
  /^((?:dedicated |shared |guest |NUMA )*)(vCPU|CPU|GPU|cell|claim|device|host|instance|member|operation|page|step|thread)s?(?= |$)(.*)$/

/**
 * An amount with its unit as the sentences about a host have it: 1 vCPU, 2 vCPUs, 8192 MiB, no members, fewer than 2 members. Without a unit, or
 * in units of a class that has no other, the amount alone.
 */
export function amountText(amount: number | string, unit?: string): string {
  const text = valueText(amount)
  const { one, several } = measureOf(unit)
  if (several === '') return text
  if (text === 'fewer than 1') return `no ${several}`
  return `${text} ${/(?:^|\D)1$/.test(text) ? one : several}`
}

/** What an amount of this unit is of, of one and of several: two units that mean the same have one measure. */
export function measureOf(unit = ''): { readonly one: string; readonly several: string } {
  const measure = isResourceClass(unit) ? (classUnits[unit] ?? '') : unit
  const noun = NOUN.exec(measure)
  if (noun === null) return { one: measure, several: measure }
  const [, before = '', one = '', behind = ''] = noun
  return { one: before + one + behind, several: `${before}${one}s${behind}` }
}

/** A value within a sentence; one that shows nothing is put in quotes, so that no gap is left. */
export const valueText = (value: number | string): string => {
  const text = String(value)
  return text.trim() === '' ? JSON.stringify(text) : text
}

/** Resource classes whose unit does not say what they are, and what Nova's filters call them, as words for people. */
const classWords: Readonly<Record<string, string>> = { MEMORY_MB: 'Memory', memory: 'Memory', DISK_GB: 'Disk', disk: 'Disk' }

/** What an amount is of, before it: nothing where its unit says so already. */
export function subjectText(subject: string, unit?: string): string {
  if (measureOf(unit).one.toLowerCase() === subject.toLowerCase()) return ''
  return `${Object.hasOwn(classWords, subject) ? classWords[subject] : subject}: `
}

/** Behind an amount that is left, where more is taken than there is: by how much. The amount itself is then said to be none. */
export const overfullText = (left: number | string | undefined, unit?: string): string =>
  typeof left === 'number' && left < 0 ? `; over-full by ${amountText(-left, unit)}` : ''
