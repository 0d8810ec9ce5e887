/** A uuid that ends with this number in hexadecimal digits. */
export const uuidOf = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
