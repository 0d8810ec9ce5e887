import type { FileSystem, Source } from './source.ts'

/** The file system that holds the disks of instances. Throws Unreadable. */
export const readDisk = (source: Source, folder: string): FileSystem => source.fileSystem(folder.replace(/^\/+/, '') || '.')
