"use strict";

const error = new Error("no such chart");
error.promise = { error };
Promise.reject(error);
