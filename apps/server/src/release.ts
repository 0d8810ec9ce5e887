import manifest from '../package.json' with { type: 'json' }

/** The release of the service, which all its packages share. The rules for decisions have a version of their own (CORE_VERSION). */
export const RELEASE: string = manifest.version
