/** PostgreSQL refuses to run as root; then it runs under this number, which no system account uses and which needs no entry anywhere. */
const SERVER_ID_UNDER_ROOT = 60717
/** `initdb`, unlike the server, wants an account with an entry in /etc/passwd; every system has this one (nobody). */
const INITDB_UID_UNDER_ROOT = 65534

export type Ids = { readonly uid: number; readonly gid: number }

export const isRoot = process.getuid?.() === 0

/** For `spawn`: whose processes the server's are. Nothing given means our own account. */
export const serverIds: Ids | undefined = isRoot ? { uid: SERVER_ID_UNDER_ROOT, gid: SERVER_ID_UNDER_ROOT } : undefined
export const initdbIds: Ids | undefined = isRoot ? { uid: INITDB_UID_UNDER_ROOT, gid: SERVER_ID_UNDER_ROOT } : undefined

export const serverUid = serverIds?.uid ?? process.getuid?.() ?? -1

/** The server's programs see nothing of the user's environment: a stray PGDATA or LC_ALL would change what they do. */
export const serverEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
