"""Spanish phrases of the sample."""

from __future__ import annotations

from typing import Final

from transforms.sample.language import Language

SPANISH: Final = Language(
    code="es",
    asks={
        "support": (
            "¿Dónde está mi pedido {order}? Debía llegar el {date}.",
            "El artículo {product} del pedido {order} llegó con esta pieza rota: {part}. ¿Qué hago?",
            "Quiero cambiar la dirección de entrega a {street}. Mi teléfono es {phone}.",
            "Me han cobrado {amount} dos veces. Mi correo es {email}.",
            "Quiero devolver el artículo {product}, está {flaw}.",
        ),
        "travel": (
            "Busca un vuelo de {home} a {city} el {date}, con vuelta {n} días después.",
            "¿Hay un hotel tranquilo en {city} por menos de {amount}? ¿Quizá {hotel}?",
            "En la reserva {booking} el nombre está mal, debe ser {name}.",
            "¿Qué hacemos en {city} una tarde de lluvia?",
        ),
        "coding": (
            "{function} en {file} falla con `{error}` desde el commit {commit}. ¿Puedes mirarlo?",
            "Escribe pruebas para {function} en {file}, por favor.",
            "¿Cómo cambio {library} por {library} en {file}?",
            "La compilación de {branch} tarda {n} minutos. ¿En qué se va el tiempo?",
        ),
    },
    tells={
        "support": (
            "Tu pedido {order} salió del almacén el {date} y ahora lo tiene {carrier}.",
            "El artículo {product} tiene {n} meses de garantía y la pieza ({part}) está incluida.",
            "El segundo cargo de {amount} era solo una reserva y desaparecerá en {n} días.",
            "Quedan {n} unidades de la pieza ({part}) y podemos enviarla hoy a {street}.",
            "Según el registro hubo un intento de entrega a las {time}, pero nadie abrió.",
            "La devolución de {amount} irá a la tarjeta con la que pagaste.",
            "La cuenta está a nombre de {name} y la factura va a {email}.",
        ),
        "travel": (
            "{airline} vuela a {city} a las {time} por {amount}, con una maleta de {n} kilos.",
            "{hotel}, en {city}, tiene una habitación al patio por {amount} con desayuno.",
            "El tren entre {city} y {city} tarda {n} horas y merece la pena por la costa.",
            "La reserva {booking} se puede cambiar hasta el {date} por {amount}.",
            "El asiento {seat} del vuelo {flight} sigue libre, junto a la ventana.",
            "Hacia el {date} hay fiestas en {city} y las habitaciones escasean.",
            "Recomiendo visitar {sight}, a unos {n} minutos a pie.",
        ),
        "coding": (
            "La causa está en {file}, línea {line}: {function} guarda una referencia después del bucle.",
            "`{error}` solo aparece cuando {library} devuelve una página vacía, el {percent} % de las veces.",
            "El commit {commit} cambió el valor por defecto de {library}, y {function} ve fechas sin zona.",
            "Las pruebas de {file} pasan otra vez; {n} dependían del orden de un conjunto.",
            "En {branch} la descarga de {library} ocupa el {percent} % del tiempo.",
            "Hay una carrera entre {function} y el temporizador de la línea {line}.",
        ),
    },
    facts=(
        "Por cierto, tengo alergia a {allergy}, recuérdalo, por favor.",
        "Mi mascota es un animal tranquilo ({pet}), se llama {pet_name} y siempre viaja conmigo.",
        "Vivo en {street} y los viernes trabajo en casa.",
        "Escríbeme siempre a {email}.",
        "Prefiero {preference}, si se puede elegir.",
        "Después de las {time} estoy en el {phone}.",
    ),
    opens=("Vamos paso a paso.", "Gracias, ya lo he mirado.", "Claro, {name}.", "Esto es lo que he encontrado."),
    advises=(
        "Si ves otra cosa por tu lado, lo compruebo de nuevo.",
        "Puede que esto cambie el {date}.",
        "Guarda la confirmación, su número es {order}.",
        "La otra opción cuesta unos {amount} más y ahorra {n} minutos.",
        "Como te gusta {preference}, la primera opción parece mejor.",
        "No tienes que hacer nada antes de las {time}.",
    ),
    thinks=("El usuario pregunta por {topic}.", "Primero reviso {topic}.", "Hay {n} candidatos, hay que compararlos.",
            "La fecha {date} es importante.", "Una herramienta dirá más que una suposición."),
    closes=("¿Lo hago así?", "¿Necesitas algo más?", "¿Te va bien el {date}?", "Espero que te sirva."),
    retries=("Algo ha fallado, inténtalo otra vez.", "La respuesta se cortó. ¿Sigues?"),
    names=("Lucía Ferrán", "Mateo Quiroga", "Inés Valdés", "Joaquín Robledo", "Nuria Peñalver", "Diego Santamaría"),
    words={
        "product": ("auriculares", "molinillo", "lámpara", "lector", "hervidor", "chubasquero"),
        "part": ("bisagra", "cable", "tapa", "botón", "filtro", "cremallera"),
        "flaw": ("rayado", "suelto", "en otro color", "sin sonido", "mojado"),
        "allergy": ("los cacahuetes", "el marisco", "la penicilina", "el polen"),
        "pet": ("perro", "gata", "loro", "tortuga"),
        "pet_name": ("Churro", "Luna", "Capitán", "Nube"),
        "preference": ("la ventanilla", "el tren nocturno", "los hoteles pequeños", "la comida vegetariana"),
        "sight": ("el faro viejo", "el jardín botánico", "el museo del puerto", "el teleférico"),
        "topic": ("el pedido", "el itinerario", "la prueba que falla", "la devolución", "las fechas"),
    },
)  # fmt: skip
