import { showUnseen } from '@gantt/scheduler-core'

/**
 * A message of the service as text for a terminal or a log. Invisible characters are escaped, except line breaks: names in data of older
 * releases can contain control sequences of terminals.
 */
export const terminalLine = (message: string): string => `${showUnseen(message, '\n')}\n`
