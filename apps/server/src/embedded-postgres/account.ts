/** The user id for PostgreSQL, which refuses to run as root. No system account uses this id, and it needs no entry in any file. */
const SERVER_ID_UNDER_ROOT = 60717
/** Unlike the server, `initdb` needs an account with an entry in /etc/passwd. Every system has this one (nobody). */
const INITDB_UID_UNDER_ROOT = 65534

export type Ids = { readonly uid: number; readonly gid: number }

export const isRoot = process.getuid?.() === 0

/** The account under which `spawn` starts the server's processes; undefined for this process's own account. */
export const serverIds: Ids | undefined = isRoot ? { uid: SERVER_ID_UNDER_ROOT, gid: SERVER_ID_UNDER_ROOT } : undefined
export const initdbIds: Ids | undefined = isRoot ? { uid: INITDB_UID_UNDER_ROOT, gid: SERVER_ID_UNDER_ROOT } : undefined

export const serverUid = serverIds?.uid ?? process.getuid?.() ?? -1

/** The environment of the server's programs, without the user's variables: PGDATA or LC_ALL would change their behaviour. */
export const serverEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
