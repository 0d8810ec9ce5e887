import type { FileSystem, Source } from './source.ts'

/** Reads the size of the file system with the disks of instances. Throws Unreadable. */
export const readDisk = (source: Source, folder: string): FileSystem => source.fileSystem(folder.replace(/^\/+/, '') || '.')
