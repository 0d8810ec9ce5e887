import { existsSync, readdirSync, readFileSync, readlinkSync, statfsSync } from 'node:fs'
import path from 'node:path'

/** The files that describe a machine, below `/` or below a folder with a similar tree. All paths are relative. */
export interface Source {
  /** The contents of the file without white space at both ends. Throws Unreadable. */
  text(file: string): string
  /** The contents of the file as an integer. Throws Unreadable. */
  number(file: string): number
  /** The names in a folder, sorted. Throws Unreadable. */
  names(folder: string): readonly string[]
  /** Whether a file or folder exists. */
  has(file: string): boolean
  /** The last part of the target of a symbolic link; undefined if the link does not exist. */
  target(link: string): string | undefined
  /** The size of the file system that contains the folder. Throws Unreadable. */
  fileSystem(folder: string): FileSystem
}

export interface FileSystem {
  readonly totalBytes: number
  /** The space that is free for users other than root. */
  readonly freeBytes: number
}

/** A value, or the reason why it could not be read. A value that was not read is not reported. */
export type Reading<Value> = { readonly value: Value } | { readonly notReported: string }

/** A file is missing or does not have the expected contents. The message names the file. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** The result of `read`, or the reason why it threw Unreadable. Any other error is a defect and is thrown again. */
export function reading<Value>(read: () => Value): Reading<Value> {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof Unreadable) return { notReported: error.message }
    throw error
  }
}

/** The value; undefined if it could not be read. */
export const valueIn = <Value>(of: Reading<Value>): Value | undefined => ('value' in of ? of.value : undefined)

/** The result of `read`. Throws Unreadable with the file and the error of the system. */
function attempt<Value>(file: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new Unreadable(`/${file}: ${why}`)
  }
}

/** Reads the files of a machine below `root`. `fileSystem` replaces the size of the file system, for a recorded tree. */
export function createSource(root = '/', fileSystem?: FileSystem): Source {
  const at = (file: string): string => path.join(root, file)
  const text = (file: string): string => attempt(file, () => readFileSync(at(file), 'utf8').trim())
  return {
    text,
    number(file) {
      const found = text(file)
      if (!/^-?\d{1,15}$/.test(found)) throw new Unreadable(`/${file}: ${JSON.stringify(found.slice(0, 40))} is no whole number`)
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

/** Parses a list of the kernel, such as the CPUs "0-3,8", into numbers. Throws Unreadable. */
export function parseList(file: string, text: string): readonly number[] {
  if (text === '') return []
  return text.split(',').flatMap((part) => {
    const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? []
    if (from === undefined || Number(to) < Number(from))
      throw new Unreadable(`/${file}: ${JSON.stringify(part)} is no number and no range of numbers`)
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => Number(from) + i)
  })
}

/** The ids in the names of a folder that have this prefix, such as `node0`. Throws Unreadable. */
export const numbered = (source: Source, folder: string, prefix: string): readonly number[] =>
  source
    .names(folder)
    .flatMap((name) => (name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)) ? [Number(name.slice(prefix.length))] : []))
    .sort((a, b) => a - b)
