// The parts of a package.json that say how its package is built: its entry points, and the packages that are installed with it.

/** For every entry point that package.json names under `exports`: its path below `dist` without extension, and its source. */
export function doorsOf({ exports: doors }) {
  return Object.fromEntries(Object.values(doors).map(({ source, default: built }) => [built.replace(/^\.\/dist\/|\.js$/g, ''), source]))
}

/** The dependencies that are installed as packages: all but those that are `bundled` into the files. */
export function installedDependencies({ dependencies = {}, bundled = [] }) {
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => bundled !== true && !bundled.includes(name)))
}
