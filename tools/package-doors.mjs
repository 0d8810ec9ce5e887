// The parts of a package.json that say how its package is built: its entry points, and the packages that are installed with it.

/** Path below `dist` without ending -> source, of every door that package.json names under `exports`. */
export function doorsOf({ exports: doors }) {
  return Object.fromEntries(Object.values(doors).map(({ source, default: built }) => [built.replace(/^\.\/dist\/|\.js$/g, ''), source]))
}

/** Dependencies that whoever installs the package gets as packages: all but those that are `bundled` into its files. */
export function installedDependencies({ dependencies = {}, bundled = [] }) {
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => bundled !== true && !bundled.includes(name)))
}
