import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
// modules that most pages share are loaded at the start, not with each page
import './ui/copy-as.tsx'
import './ui/table/list-table.tsx'
import './ui/page.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no element with the id root.')
const show = (page: ReactNode): void => createRoot(root).render(<StrictMode>{page}</StrictMode>)

const hasKit = import.meta.env.DEV || import.meta.env.MODE === 'kit'
if (hasKit && location.pathname === '/kit') void import('./kit/kit.tsx').then(({ Kit }) => show(<Kit />))
else show(<App />)
