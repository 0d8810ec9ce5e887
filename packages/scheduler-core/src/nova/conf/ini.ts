/** An assignment `name = value` in a file, with the section in which it is. */
export interface Setting {
  readonly section: string
  readonly name: string
  /** The value without surrounding quotes. If it has several lines, they are separated by line feeds. */
  readonly value: string
  /** The line that contains the name, counted from 1. */
  readonly line: number
}

/** A line with a syntax error. oslo.config refuses the whole file because of it. */
export interface Fault {
  readonly line: number
  readonly message: string
}

/**
 * Parses a configuration file as oslo.config does. An assignment is `key = value` or `key: value`. A line that starts with a blank
 * continues the value of the line before. A line that starts with `#` or `;` is a comment. A file can set an option several times, and can
 * have a section several times.
 */
export function readIni(text: string): { readonly settings: readonly Setting[]; readonly faults: readonly Fault[] } {
  const settings: Setting[] = []
  const faults: Fault[] = []
  let section: string | undefined
  let open: { readonly name: string; readonly line: number; readonly parts: string[] } | undefined
  const close = (): void => {
    if (open !== undefined && section !== undefined)
      settings.push({ section, name: open.name, value: open.parts.join('\n'), line: open.line })
    open = undefined
  }
  for (const [index, whole] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = index + 1
    const refuse = (message: string) => faults.push({ line, message })
    const content = whole.trimEnd()
    if (/^[ \t]/.test(content)) {
      if (open === undefined) refuse('it begins with a space, and there is no value before it to continue')
      else open.parts.push(content.trimStart())
      continue
    }
    close()
    if (content === '' || /^[#;]/.test(content)) continue
    if (content.startsWith('[')) {
      section = content.slice(1, -1)
      if (!content.endsWith(']') || section === '') refuse('a section must be [NAME]')
      continue
    }
    const assignment = splitAssignment(content)
    if (assignment === undefined) refuse('it must be a [SECTION], NAME = VALUE or a comment')
    else if (section === undefined) refuse('it is before the first [SECTION]')
    else open = { name: assignment.name, line, parts: [assignment.value] }
  }
  close()
  return { settings, faults }
}

function splitAssignment(content: string): { readonly name: string; readonly value: string } | undefined {
  const at = content.search(/[=:]/)
  const name = content.slice(0, Math.max(0, at)).trim()
  if (name === '') return undefined
  const value = content.slice(at + 1).trim()
  const quote = value[0]
  return { name, value: (quote === '"' || quote === "'") && value.endsWith(quote) ? value.slice(1, -1) : value }
}

/** Sections are compared without regard to case, except for DEFAULT. */
export const sectionKey = (section: string): string => (section === 'DEFAULT' ? section : section.toLowerCase())
