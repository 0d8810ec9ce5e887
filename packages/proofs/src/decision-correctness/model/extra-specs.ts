/**
 * Whether a value meets a requirement with the operators of Nova's extra specs. `=` means at least. `s==` and similar operators compare
 * texts. The other operators are `<in>`, `<all-in>` and `<or>`. Without an operator, value and requirement must be equal. A value that is
 * not a number does not match if a number is required.
 */
export function meets(value: string, requirement: string): boolean {
  const [operator = '', ...words] = requirement.split(' ').filter((word) => word !== '')
  const [first = ''] = words
  if (operator === '<or>') return words.filter((_, i) => i % 2 === 0).includes(value)
  if (numeric.includes(operator) || textual.includes(operator) || operator === '<in>') if (words.length === 0) return false
  if (operator === '<in>') return value.includes(first)
  if (operator === '<all-in>') return words.length > 0 && words.every((word) => value.includes(word))
  if (textual.includes(operator)) return compares(operator.slice(1), value, first)
  if (numeric.includes(operator)) {
    if (!/^-?\d+(\.\d+)?$/.test(value.trim()) || !/^-?\d+(\.\d+)?$/.test(first)) return false
    return compares(operator === '=' ? '>=' : operator, Number(value), Number(first))
  }
  return value === requirement
}

const numeric = ['=', '==', '!=', '>=', '<=']
const textual = ['s==', 's!=', 's>=', 's>', 's<=', 's<']

/** Compares two numbers or two texts with an operator. */
export function compares<T extends number | string>(operator: string, found: T, wanted: T): boolean {
  if (operator === '==') return found === wanted
  if (operator === '!=') return found !== wanted
  if (operator === '>=') return found >= wanted
  if (operator === '<=') return found <= wanted
  if (operator === '>') return found > wanted
  if (operator === '<') return found < wanted
  throw new RangeError(`the model does not implement the operator ${operator}`)
}
