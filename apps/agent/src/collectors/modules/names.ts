/** The collectors that come with the agent. */
export const moduleNames = ['files', 'prometheus', 'power'] as const
export type ModuleName = (typeof moduleNames)[number]
