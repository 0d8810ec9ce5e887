/** The name and the version of a plug-in. */
export interface PluginRef {
  /** 1 to 63 lower-case letters, digits and dashes. */
  readonly name: string
  /** The version in its package.json: `1.2.3`. */
  readonly version: string
}
