/** The public names of the client, listed one by one. */
export {}
