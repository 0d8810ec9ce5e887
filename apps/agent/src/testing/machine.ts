import { type Picture, type PictureOptions, readPicture } from '../picture.ts'
import { createSource } from '../readers/source.ts'
import type { Offer } from '../report.ts'
import { plant, type Tree } from './tree.ts'

/** Reads the state of a machine with these files and a disk of 100 GiB. A file whose content is undefined is left out. */
export function pictureOf(
  tree: Tree,
  options: Partial<PictureOptions> = {},
  but: Readonly<Record<string, string | undefined>> = {},
): Picture {
  const files = Object.entries({ ...tree, ...but }).flatMap(([file, content]) => (content === undefined ? [] : [[file, content] as const]))
  const machine = plant(Object.fromEntries(files))
  try {
    const source = createSource(machine.root, { totalBytes: 100 * 2 ** 30, freeBytes: 40 * 2 ** 30 })
    return readPicture(source, { arch: 'x86_64', diskFolder: '/', isContainer: false, ...options })
  } finally {
    machine.remove()
  }
}

export const plainOffer: Offer = {
  nodeName: 'm1',
  hostIp: undefined,
  reserved: { cpus: 0, memoryMb: 512, diskGb: 0 },
  ratios: { cpu: 1, ram: 1, disk: 1 },
  pci: [],
}
