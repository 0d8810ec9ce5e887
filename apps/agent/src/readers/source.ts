import { existsSync, readdirSync, readFileSync, readlinkSync, statfsSync } from 'node:fs'
import path from 'node:path'

/** Reads the files that describe a machine, below `/` or, in tests, below a folder with copies. Paths are relative to this folder. */
export interface Source {
  /** Returns the contents of a file without white space at both ends. Throws Unreadable. */
  text(file: string): string
  /** Returns the contents of a file as an integer. Throws Unreadable. */
  number(file: string): number
  /** Returns the sorted names of the files in a folder. Throws Unreadable. */
  names(folder: string): readonly string[]
  /** True if the file or folder exists. */
  has(file: string): boolean
  /** Returns the last part of the path to which a symbolic link leads. Undefined if the link does not exist. */
  target(link: string): string | undefined
  /** Returns the size of the file system that contains the folder. Throws Unreadable. */
  fileSystem(folder: string): FileSystem
}

export interface FileSystem {
  readonly totalBytes: number
  /** The space that users other than root can use, in bytes. */
  readonly freeBytes: number
}

/** A value, or the reason for which the value could not be read and is therefore not reported. */
export type Reading<Value> = { readonly value: Value } | { readonly notReported: string }

/** Thrown if a file is missing or does not have the expected contents. The message names the file. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** Calls `read`. Returns its result, or the reason if it throws Unreadable. Other errors are thrown again. */
export function reading<Value>(read: () => Value): Reading<Value> {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof Unreadable) return { notReported: error.message }
    throw error
  }
}

/** Returns the value, or undefined if it could not be read. */
export const valueIn = <Value>(of: Reading<Value>): Value | undefined => ('value' in of ? of.value : undefined)

/** Calls `read` and returns its result. Errors of the operating system are converted to Unreadable with the name of the file. */
function attempt<Value>(file: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new Unreadable(`/${file}: ${why}`)
  }
}

/** Creates a source that reads the files below `root`. In tests, `fileSystem` replaces the size of the real file system. */
export function createSource(root = '/', fileSystem?: FileSystem): Source {
  const at = (file: string): string => path.join(root, file)
  const text = (file: string): string => attempt(file, () => readFileSync(at(file), 'utf8').trim())
  return {
    text,
    number(file) {
      const found = text(file)
      if (!/^-?\d{1,15}$/.test(found)) throw new Unreadable(`/${file}: ${JSON.stringify(found.slice(0, 40))} is not a whole number`)
      return Number(found)
    },
    names: (folder) => attempt(folder, () => readdirSync(at(folder)).sort()),
    has: (file) => existsSync(at(file)),
    target(link) {
      try {
        return path.basename(readlinkSync(at(link)))
      } catch {
        return undefined
      }
    },
    fileSystem: (folder) =>
      fileSystem ??
      attempt(folder, () => {
        const { bsize, blocks, bavail } = statfsSync(at(folder))
        return { totalBytes: bsize * blocks, freeBytes: bsize * bavail }
      }),
  }
}

/** Parses a list as the kernel writes it, such as "0-3,8", into numbers. Throws Unreadable. */
export function parseList(file: string, text: string): readonly number[] {
  if (text === '') return []
  return text.split(',').flatMap((part) => {
    const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? []
    if (from === undefined || Number(to) < Number(from))
      throw new Unreadable(`/${file}: ${JSON.stringify(part)} is neither a number nor a range of numbers`)
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => Number(from) + i)
  })
}

/** Returns the numbers after the prefix in the names of a folder: 0 for `node0` with the prefix `node`. Throws Unreadable. */
export const numbered = (source: Source, folder: string, prefix: string): readonly number[] =>
  source
    .names(folder)
    .flatMap((name) => (name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)) ? [Number(name.slice(prefix.length))] : []))
    .sort((a, b) => a - b)
