import { jsx as reactJsx, jsxs as reactJsxs } from 'react/jsx-runtime'
import { shownProps } from './shown-props.ts'

/**
 * How JSX of the console becomes elements: as React does it, with names of older data escaped wherever they are shown, so that
 * no page has to think of it. `jsxImportSource` of tsconfig.json and vite.config.ts leads here.
 */
export { Fragment, type JSX } from 'react/jsx-runtime'

export const jsx: typeof reactJsx = (type, props, key) => reactJsx(type, shownProps(props), key)
export const jsxs: typeof reactJsxs = (type, props, key) => reactJsxs(type, shownProps(props), key)
