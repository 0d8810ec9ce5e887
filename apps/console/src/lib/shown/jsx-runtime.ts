import { jsx as reactJsx, jsxs as reactJsxs } from 'react/jsx-runtime'
import { shownProps } from './shown-props.ts'

/**
 * The JSX runtime of the console. It is React's runtime, but escapes invisible characters in all shown texts, so that pages need not escape
 * them. `jsxImportSource` in tsconfig.json and vite.config.ts names this runtime.
 */
export { Fragment, type JSX } from 'react/jsx-runtime'

export const jsx: typeof reactJsx = (type, props, key) => reactJsx(type, shownProps(props), key)
export const jsxs: typeof reactJsxs = (type, props, key) => reactJsxs(type, shownProps(props), key)
