import { jsxDEV as reactJsxDev } from 'react/jsx-dev-runtime'
import { shownProps } from './shown-props.ts'

/** The JSX runtime of the console during development. jsx-runtime.ts explains it. */
export { Fragment, type JSX } from 'react/jsx-dev-runtime'

export const jsxDEV: typeof reactJsxDev = (type, props, ...rest) => reactJsxDev(type, shownProps(props), ...rest)
