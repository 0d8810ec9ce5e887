/** The one door of the server. The command line comes in here for `gantt serve`. */
export { type ServeOptions, serve } from './serve.ts'
