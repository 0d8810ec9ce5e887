/** The public names of the client, listed one by one. */
export { type Client, type ClientOptions, createClient, type RequestOptions } from './client.ts'
export { type Fault, FaultError, ProtocolError, UnreachableError } from './errors.ts'
