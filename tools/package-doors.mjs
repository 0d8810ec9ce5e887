// Reads the parts of a package.json that define how its package is built: its entry points, and the packages that are installed with it.

/** For every entry point under `exports` of package.json: its path below `dist` without extension, and its source. */
export function doorsOf({ exports: doors }) {
  return Object.fromEntries(Object.values(doors).map(({ source, default: built }) => [built.replace(/^\.\/dist\/|\.js$/g, ''), source]))
}

/** The dependencies that are installed as packages: all except those that are `bundled` into the built files. */
export function installedDependencies({ dependencies = {}, bundled = [] }) {
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => bundled !== true && !bundled.includes(name)))
}
