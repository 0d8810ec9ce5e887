import { jsx as reactJsx, jsxs as reactJsxs } from 'react/jsx-runtime'
import { shownProps } from './shown-props.ts'

/**
 * The JSX runtime of the console: React's, with invisible characters escaped in all shown texts, so that no page has to do so.
 * `jsxImportSource` in tsconfig.json and vite.config.ts names it.
 */
export { Fragment, type JSX } from 'react/jsx-runtime'

export const jsx: typeof reactJsx = (type, props, key) => reactJsx(type, shownProps(props), key)
export const jsxs: typeof reactJsxs = (type, props, key) => reactJsxs(type, shownProps(props), key)
